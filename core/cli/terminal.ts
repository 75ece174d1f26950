/** Where a command writes to, and what it reads beside its arguments. */
import { styleText } from 'node:util'
import { takesColors } from '../log/log.ts'

/** Standard output or standard error. */
export interface Output {
  write(text: string, done?: () => void): unknown
  isTTY?: boolean
  /** Of terminals (`tty.WriteStream`); minds `NO_COLOR`. */
  hasColors?(): boolean
  /** Characters a line. */
  columns?: number
}

export interface Terminal {
  out: Output
  err: Output
  environment: NodeJS.ProcessEnv
  workingDirectory: string
}

export type Color = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
export type Paint = (color: Color, text: string) => string

/** Paints for an output: plain text everywhere but on a terminal, and there too when `NO_COLOR` is set. */
export function painter(output: Output): Paint {
  if (!takesColors(output)) return (_color, text) => text
  // The output may be another one than the standard output that this function would ask.
  return (color, text) => styleText(color, text, { validateStream: false })
}

/** Rows in columns as wide as their widest cell; the last one as it is. `paint` colors a padded cell. */
export function table(
  rows: readonly (readonly string[])[],
  paint: (text: string, column: number, row: number) => string = text => text,
): string {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    [],
  )
  return rows
    .map(
      (row, index) =>
        `${row
          .map((cell, column) => paint(column === row.length - 1 ? cell : cell.padEnd(widths[column]!), column, index))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
