import { renderMermaidSVG } from 'beautiful-mermaid';

// The colours of the theme, so that diagrams follow light and dark.
const COLOURS = { bg: 'var(--vp-c-bg)', fg: 'var(--vp-c-text-1)', line: 'var(--vp-c-text-2)', muted: 'var(--vp-c-text-1)' };
const MIN_SCALE = 0.8;
const STYLE = /<style>([^]*?)<\/style>/;

/** Style of all diagrams. Vue allows no style element in a page, and pages load no font. */
export const DIAGRAM_STYLE = `.diagram { overflow-x: auto; margin: 16px 0; }
.diagram ${(STYLE.exec(renderMermaidSVG('flowchart LR\n a --> b', COLOURS))?.[1] ?? '').replace(/@import[^;]*;/, '').trim()}`;

/** Renders a Mermaid diagram as SVG that can be scrolled sideways. */
export function diagram(code: string): string {
  const svg = renderMermaidSVG(code, { ...COLOURS, padding: 8, transparent: true }).replace(STYLE, '');
  // Scaled to the column as long as its text stays readable.
  const minWidth = Math.round(MIN_SCALE * Number(/ width="([\d.]+)"/.exec(svg)?.[1]));
  const scaled = svg.replace('style="', `style="min-width:${minWidth}px;max-width:100%;height:auto;`);
  return `<div class="diagram" v-pre tabindex="0" role="group" aria-label="Diagram">${scaled}</div>`;
}
