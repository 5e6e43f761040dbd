import { renderMermaidSVG } from 'beautiful-mermaid';
import type { MarkdownRenderer } from 'vitepress';

/**
 * Renders ```mermaid blocks to SVG when the site is built, so that a page needs no script for them.
 * The colours are variables of the theme: one picture serves light and dark.
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
  return (
    renderMermaidSVG(source, {
      bg: 'var(--vp-c-bg)',
      fg: 'var(--vp-c-text-1)',
      line: 'var(--vp-c-text-3)',
      accent: 'var(--vp-c-text-2)',
      muted: 'var(--vp-c-text-2)',
      surface: 'var(--vp-c-bg-soft)',
      border: 'var(--vp-c-border)',
      padding: 8,
      transparent: true,
    })
      // The renderer's style loads a font from another host and applies to the whole page.
      .replace(/@import url\([^)]*\);/, '')
      .replace(/^ {2}text \{[^}]*\}/m, '')
      .replace(/^ {2}svg \{/m, '  .mermaid svg {')
      .replaceAll(/\n\s*\n/g, '\n')
  );
}
