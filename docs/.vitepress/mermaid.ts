import { renderMermaidSVG } from 'beautiful-mermaid';
import type { MarkdownRenderer } from 'vitepress';

/**
 * Renders ```mermaid blocks to SVG when the site is built, so that a page needs no script for them.
 * Their colors are in theme/style.css.
 */
export function mermaid(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, options, environment, renderer) => {
    const token = tokens[index]!;
    if (token.info.trim() !== 'mermaid') {
      return fence!(tokens, index, options, environment, renderer);
    }
    return `<div class="mermaid" v-pre>${renderDiagram(token.content)}</div>\n`;
  };
}

function renderDiagram(source: string): string {
  const svg = renderMermaidSVG(source, { padding: 8, transparent: true });
  // The style would load a font from another host and apply to the whole page. The theme has one of its own.
  return svg
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/ style="[^"]*"/, '')
    .replaceAll(/\n\s*\n/g, '\n');
}
