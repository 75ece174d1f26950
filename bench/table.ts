/** Prints rows as a table in Markdown, columns aligned. */
export function printTable(head: string[], rows: (string | number)[][]): void {
  const all = [head, ...rows].map(row => row.map(String))
  const widths = head.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0), 3))
  const line = (row: string[]): string =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(' | ')} |`
  const [first, ...others] = all
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  console.log([line(first!), rule, ...others.map(line), ''].join('\n'))
}
