/** The input and output of a command apart from its arguments, and formatting of output. */
import { styleText } from 'node:util'
import type { Bundler } from '../contract/bundler.ts'
import type { KnownCode } from '../host/inventory.ts'
import { takesColors } from '../log/log.ts'

/** Standard output or standard error. */
export interface Output {
  write(text: string, done?: () => void): unknown
  isTTY?: boolean
  /** Only on terminals (`tty.WriteStream`); respects `NO_COLOR`. */
  hasColors?(): boolean
  /** Number of characters per line. */
  columns?: number
}

export interface Terminal {
  out: Output
  err: Output
  environment: NodeJS.ProcessEnv
  workingDirectory: string
  /** Builds plugins. Default: esbuild, whose service then stays resident. */
  bundler?: Bundler
  /** Plugin code that several commands in one process share. */
  knownCode?: KnownCode | undefined
}

export type Color = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
export type Paint = (color: Color, text: string) => string

/** Returns a function that colors text for an output. It adds colors only on a terminal, and not if `NO_COLOR` is set. */
export function painter(output: Output): Paint {
  if (!takesColors(output)) return (_color, text) => text
  // By default `styleText` checks standard output, but this may be another output.
  return (color, text) => styleText(color, text, { validateStream: false })
}

/** Formats rows as aligned columns. `paint` colors the padded cells. */
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

/** `1 route`, `2 routes`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
