/**
 * A loop whose processor time is known: what another computation takes is compared with it, measured at the same moment,
 * so that neither the machine nor its load matters.
 */

const ROUNDS = 1_000_000
const TABLE = Int32Array.from({ length: 1024 }, (_, index) => Math.imul(index, 2_654_435_761))
/** Nanoseconds of processor time for a round on the machine that bounds were set on. */
const USUAL_NS = 3

/** Returns a value, so that the loop is not left out. */
function loop(): number {
  let sum = 1
  for (let round = 0; round < ROUNDS; round++) sum = Math.imul(sum ^ TABLE[(sum + round) & 1023]!, 0x01000193)
  return sum
}

/** How many times as long as usual this process takes for the same work now. */
export function slowness(): number {
  loop()
  const before = process.cpuUsage()
  loop()
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / ROUNDS / USUAL_NS
}
