import { posix } from 'node:path';
import { defineConfig } from 'vitepress';

const REFERENCE = [
  { text: 'API', link: '/api' },
  { text: 'Events', link: '/events' },
  { text: 'Datasets', link: '/dataset' },
  { text: 'Rules', link: '/rules/' },
];

export default defineConfig({
  title: 'Employee engagement survey service',
  outDir: '../.local/site',
  cacheDir: '../.local/site-cache',
  rewrites: { ':folder/README.md': ':folder/index.md' },
  // The theme's own colour has too little contrast.
  head: [['style', {}, ':root { --vp-code-lang-color: var(--vp-c-text-2); }']],
  themeConfig: {
    siteTitle: 'Survey service',
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      { text: 'Quickstart', link: '/' },
      {
        text: 'Concepts',
        items: [
          { text: 'Architecture', link: '/architecture' },
          { text: 'Anonymity', link: '/anonymity' },
          { text: 'Decisions', link: '/adr/' },
        ],
      },
      { text: 'Reference', items: REFERENCE },
      {
        text: 'Operate',
        items: [
          { text: 'Operating', link: '/operating' },
          { text: 'Scaling', link: '/scaling' },
          { text: 'Reliability', link: '/reliability' },
          { text: 'Performance', link: '/performance' },
          { text: 'Console', link: '/console' },
          { text: 'Identity', link: '/identity' },
          { text: 'Runbooks', link: '/runbooks/' },
        ],
      },
      {
        text: 'Contribute',
        items: [
          { text: 'Style guide', link: '/style' },
          { text: 'Operations tests', link: '/operations-tests' },
          { text: 'Releasing', link: '/releasing' },
        ],
      },
    ],
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { ndjson: 'json' },
    config: ({ renderer }) => {
      const open = renderer.rules.link_open;
      renderer.rules.link_open = (tokens, index, options, env: { relativePath: string }, self) => {
        const token = tokens[index];
        if (token !== undefined && isRepositoryFile(String(token.attrGet('href')), env.relativePath)) token.attrs = [];
        return open?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
      };
    },
  },
});

// Files beside docs/ and files that are not Markdown are no pages of the site.
function isRepositoryFile(href: string, page: string): boolean {
  if (/^(https?:|#)/.test(href)) return false;
  const [path = ''] = posix.join(posix.dirname(page), href).split('#');
  return path.startsWith('..') || /\.(mjs|ya?ml|json)$/.test(path);
}
