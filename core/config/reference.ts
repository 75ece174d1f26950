/**
 * The table of variables as Markdown, for the README.
 * Prints it: `node --import tsx core/config/reference.ts`
 */
import { pathToFileURL } from 'node:url'
import { variables, type Variable } from './variables.ts'

/** One row per variable, in the order of the table. */
export function configurationTable(): string {
  const rows = variables.map((variable) => `| \`${variable.name}\` | ${cell(variable.parser.expected)} | ${cell(defaultOf(variable))} | ${cell(variable.meaning)} |`)
  return ['| Variable | Values | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n')
}

function defaultOf({ fallback, fallbackText }: Variable): string {
  if (fallbackText !== undefined) return fallbackText
  return fallback === null || typeof fallback === 'function' ? 'unset' : `\`${String(fallback)}\``
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/<(\w+)>/g, '`<$1>`')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.stdout.write(`${configurationTable()}\n`)
