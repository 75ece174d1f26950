/**
 * The table of variables as Markdown, for the README.
 * Prints it: `node --import tsx core/config/reference.ts`
 */
import { pathToFileURL } from 'node:url'
import { variables, type Variable } from './variables.ts'

/** The README holds the table between these lines. */
export const referenceMarkers = { start: '<!-- configuration -->', end: '<!-- /configuration -->' } as const

/** The whole table between its markers, without a line end after the last. */
export function configurationReference(): string {
  return [
    referenceMarkers.start,
    '| Variable | Values | Default | Meaning |',
    '|---|---|---|---|',
    ...variables.map((variable) => `| \`${variable.name}\` | ${cell(variable.parser.expected)} | ${cell(defaultOf(variable))} | ${cell(variable.meaning)} |`),
    referenceMarkers.end,
  ].join('\n')
}

function defaultOf({ fallback, fallbackText }: Variable): string {
  if (fallbackText !== undefined) return fallbackText
  return fallback === null || typeof fallback === 'function' ? 'unset' : `\`${String(fallback)}\``
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/<(\w+)>/g, '`<$1>`')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.stdout.write(`${configurationReference()}\n`)
