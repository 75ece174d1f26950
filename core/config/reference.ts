/** The variables of the core and of plugins as a Markdown table, for `docs/configuration.md`. */
import { orderVariables, type Definitions, type PlacedVariable } from './variable-order.ts'

/** One row per variable. */
export function configurationTable(definitions: Definitions): string {
  const rows = orderVariables(definitions).map(
    ({ definition }) =>
      `| \`${definition.name}\` | ${cell(definition.parser.expected)} | ${cell(defaultOf(definition))} | ${cell(definition.description)} |`,
  )
  return ['| Variable | Values | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n')
}

function defaultOf({ default: value, defaultText }: PlacedVariable['definition']): string {
  if (defaultText !== undefined) return defaultText
  return value === null || typeof value === 'function' ? 'unset' : `\`${String(value)}\``
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/<(\w+)>/g, '`<$1>`')
}
