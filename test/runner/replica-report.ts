/** What ran with replicas, and what did not, for the summary of a run. */
import type { ReplicaFiles } from './replica-files.ts'
import type { FileResult } from './results.ts'

/** `results` are those of the round with replicas. */
export function printReplicas({ files, leftOut, env }: ReplicaFiles, results: readonly FileResult[]): string {
  if (files.length === 0)
    return 'skipped: the integration tests with replicas, because neither valkey-server nor redis-server is on the PATH\n'
  const replicated = results.filter(({ servers }) => servers.withReplicas > 0)
  const others = results.filter(({ servers }) => servers.withReplicas === 0)
  return [
    `With ${env.SVC_TEST_REPLICAS} replicas: ${filesOf(replicated.length)}`,
    ...linesOf('  Some of their servers are one process:', countReasons(replicated)),
    ...linesOf('  All servers of further files are one process:', countReasons(others)),
    ...linesOf('  Left out:', leftOut),
    '',
  ].join('\n')
}

/** How many files have each reason. */
function countReasons(results: readonly FileResult[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { servers } of results)
    for (const reason of servers.oneProcess) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return counts
}

function linesOf(title: string, counts: ReadonlyMap<string, number>): string[] {
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  return sorted.length === 0
    ? []
    : [
        title,
        ...sorted.map(([reason, count]) => `${' '.repeat(4)}${String(count).padStart(3)} ${nounOf(count)}: ${reason}`),
      ]
}

function filesOf(count: number): string {
  return `${count} integration ${nounOf(count)}`
}

function nounOf(count: number): string {
  return count === 1 ? 'file' : 'files'
}
