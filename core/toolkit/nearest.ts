/** Suggests the name that a mistyped one probably means. */

/**
 * Returns the known name with the smallest edit distance to `name`, or undefined if all are further away than
 * `maxDistance` (default: a third of the name's length, at least 2), or have nothing in common with it.
 */
export function nearest(
  name: string,
  known: Iterable<string>,
  maxDistance = Math.max(2, Math.floor(name.length / 3)),
): string | undefined {
  const wanted = name.slice(0, 200).toLowerCase()
  let best: string | undefined
  let bestDistance = maxDistance + 1
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase())
    const isSimilar = distance < Math.max(wanted.length, candidate.length)
    if (isSimilar && distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/**
 * Optimal string alignment distance: the number of insertions, deletions, replacements and swaps of adjacent characters
 * that turn one text into the other.
 */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replaced = previous[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1)
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(
        Math.min(
          replaced,
          previous[column]! + 1,
          current[column - 1]! + 1,
          isSwap ? beforePrevious[column - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforePrevious = previous
    previous = current
  }
  return previous[to.length]!
}
