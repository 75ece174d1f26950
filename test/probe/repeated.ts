/** How often each wrong gateway of models is probed: `SVC_PROBE_RUNS=10` shows that ten runs agree. */
const RUNS = Number(process.env.SVC_PROBE_RUNS ?? 1)

/** The title of the test of each run. */
export function runsOf(title: string): string[] {
  return Array.from({ length: RUNS }, (_, index) => (index === 0 ? title : `${title}, run ${index + 1}`))
}
