/** Finds plugins with variables that collide with those of the core or of another plugin. */
import { orderVariables, type Definitions } from './variable-order.ts'

/** Fields of `GET /_svc/config` that do not come from a variable. */
const OTHER_FIELDS = ['config_file', 'limits', 'max_delay_ms', 'generation', 'warnings']

/**
 * By plugin: what it declares although it is taken. Of two plugins, the one that comes first in `definitions` keeps it.
 */
export function variableConflicts(definitions: Definitions): Map<string, string> {
  const names = new Map<string, string>()
  const fields = new Map<string, string>(OTHER_FIELDS.map(field => [field, 'the core']))
  const conflicts = new Map<string, string>()
  const claim = (
    taken: Map<string, string>,
    what: string,
    claimed: string,
    plugin: string | null,
    collides: (other: string) => boolean,
  ): void => {
    const other = [...taken.keys()].find(collides)
    if (other === undefined || plugin === null)
      taken.set(claimed, plugin === null ? 'the core' : `the plugin ${plugin}`)
    else if (!conflicts.has(plugin))
      conflicts.set(plugin, `the ${what} ${claimed} is already declared by ${taken.get(other)!}`)
  }
  const precedence = [null, ...definitions.keys()]
  const byPrecedence = orderVariables(definitions).sort(
    (a, b) => precedence.indexOf(a.plugin) - precedence.indexOf(b.plugin),
  )
  for (const {
    plugin,
    definition: { name, shownAs },
  } of byPrecedence) {
    claim(names, 'variable', name, plugin, other => other === name)
    if (shownAs != null)
      claim(
        fields,
        'configuration field',
        shownAs,
        plugin,
        other => `${other}.`.startsWith(`${shownAs}.`) || `${shownAs}.`.startsWith(`${other}.`),
      )
  }
  return conflicts
}
