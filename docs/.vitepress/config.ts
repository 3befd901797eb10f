import { posix } from 'node:path';
import { defineConfig } from 'vitepress';
import { diagram, DIAGRAM_STYLE } from './mermaid.ts';

const GUIDES = [
  { text: 'Import employees every night', link: '/guides/import-nightly' },
  { text: 'Export to a warehouse', link: '/guides/export-to-a-warehouse' },
  { text: 'Consume events', link: '/guides/consume-events' },
  { text: 'Anonymity for works councils', link: '/anonymity-explained' },
];

const REFERENCE = [
  { text: 'API', link: '/api' },
  { text: 'Events', link: '/events' },
  { text: 'Event messages', link: '/reference/messages' },
  { text: 'surveyctl', link: '/reference/surveyctl' },
  { text: 'Settings', link: '/operating#configuration-reference' },
  { text: 'Chart values', link: '/reference/chart' },
  { text: 'Metrics and alerts', link: '/reference/alerts' },
  { text: 'Datasets', link: '/dataset' },
  { text: 'Rules', link: '/rules/' },
];

// The theme's own colour has too little contrast, and the keys of its search are not in its label.
const THEME_STYLE = ':root { --vp-code-lang-color: var(--vp-c-text-2); } .DocSearch-Button-Keys { display: none !important; }';

export default defineConfig({
  title: 'Employee engagement survey service',
  outDir: '../.local/site',
  cacheDir: '../.local/site-cache',
  rewrites: { ':folder/README.md': ':folder/index.md' },
  // Without an icon, browsers request /favicon.ico.
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['style', {}, `${THEME_STYLE}\n${DIAGRAM_STYLE}`],
  ],
  themeConfig: {
    siteTitle: 'Survey service',
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      { text: 'Quickstart', link: '/' },
      {
        text: 'Concepts',
        items: [
          { text: 'Overview', link: '/concepts' },
          { text: 'Architecture', link: '/architecture' },
          { text: 'Anonymity', link: '/anonymity' },
          { text: 'Personal data', link: '/privacy' },
          { text: 'Decisions', link: '/adr/' },
        ],
      },
      { text: 'Guides', items: GUIDES },
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
      const { fence, link_open: open } = renderer.rules;
      renderer.rules.fence = (tokens, index, options, env, self) => {
        const token = tokens[index];
        return token?.info === 'mermaid' ? diagram(token.content) : (fence?.(tokens, index, options, env, self) ?? '');
      };
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
