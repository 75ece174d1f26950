/** Which pairs the checks of models use, which run once and not for each pair. */
import { WIRES } from '../wires/wires.ts'
import type { Wire } from '../wires/types.ts'
import type { Pair } from './pair.ts'

/** The wires that most clients speak come first. */
const FIRST = ['chat', 'messages']

/** The first pair of each client wire, `chat` and `messages` before the others. */
export function pairsOfClients<T extends Pair>(pairs: readonly T[]): T[] {
  const first = pairs.filter(({ client }, index) => pairs.findIndex(one => one.client === client) === index)
  return first.toSorted((a, b) => rankOf(a.client) - rankOf(b.client))
}

function rankOf({ id }: Wire): number {
  const at = FIRST.indexOf(id)
  if (at !== -1) return at
  const place = WIRES.findIndex(wire => wire.id === id)
  // Those of other plugins come last.
  return FIRST.length + (place === -1 ? WIRES.length : place)
}
