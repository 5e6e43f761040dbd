/** A column of a table. */
export interface Column {
  readonly title: string;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
}

/** Formats rows as lines of text, with aligned columns. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) => {
    return cells
      .map((cell, index) =>
        columns[index]?.isNumber ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
      )
      .join('  ')
      .trimEnd();
  };
  return [line(columns.map(({ title }) => title)), ...rows.map(line)];
}
