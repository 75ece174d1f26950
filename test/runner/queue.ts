/** Runs files one after the other, in as few processes as they allow. Several queues may run at a time. */
import type { Bundles } from './bundle.ts'
import { Worker, runThroughLoader } from './processes.ts'
import { BETWEEN_FILES, type TestResult } from './report.ts'
import type { FileResult } from './results.ts'
import type { Round } from './rounds.ts'
import type { TestFile } from './tiers.ts'

/** A process is replaced after this many files, since not all memory of finished files is freed. */
const FILES_OF_A_PROCESS = 60

/** A file in a round. */
export interface Item {
  round: Round
  file: TestFile
}

export interface Queues {
  busy: Item[]
  /** Files that mostly wait. */
  waiting: Item[]
  /** Files that run when nothing else runs. */
  measuring: Item[]
}

/** The name of a file's result. */
export function titleOf({ round, file }: Item): string {
  return file.name + round.label
}

/** Those that run alone come first, since they take the longest. */
export function queuesOf(items: readonly Item[]): Queues {
  const busy = items.filter(({ file }) => !file.waits && !file.measures)
  return {
    busy: [...busy.filter(({ file }) => file.mode !== 'shared'), ...busy.filter(({ file }) => file.mode === 'shared')],
    waiting: items.filter(({ file }) => file.waits),
    measuring: items.filter(({ file }) => file.measures),
  }
}

/** Runs files from a queue until it is empty. */
export async function runQueue(
  queue: Item[],
  { timeoutMs, report }: { timeoutMs: number; report(result: TestResult): void },
): Promise<void> {
  let current: { worker: Worker; round: Round; hasFailed: boolean } | undefined
  const close = async (): Promise<void> => {
    const problem = await current?.worker.close(current.hasFailed)
    if (problem !== undefined) report({ ...failed(BETWEEN_FILES, problem), tier: 'main' })
    current = undefined
  }
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
    const { round, file } = item
    const { name, path, mode, tier } = file
    const title = titleOf(item)
    if (mode === 'loader') {
      report({ ...(await runThroughLoader(name, path, timeoutMs, round.env)), file: title, tier })
      continue
    }
    const broken = round.bundles.broken.get(path)
    if (broken !== undefined) {
      report({ ...failed(title, `${broken}\n`), tier })
      continue
    }
    const isNew = mode === 'alone' || current?.round !== round || current.worker.files >= FILES_OF_A_PROCESS
    if (isNew || !current?.worker.isAlive) await close()
    current ??= { worker: startWorker(round, round.bundles), round, hasFailed: false }
    const result = await current.worker.run(name, round.bundles.scriptOf(path), timeoutMs)
    if (result === null) {
      await close()
      queue.unshift(item)
      continue
    }
    current.hasFailed ||= result.failed > 0
    report({ ...result, file: title, tier })
    if (mode === 'alone') await close()
  }
  await close()
}

function startWorker({ node, env }: Round, { worker }: Bundles): Worker {
  return new Worker(node, worker, env)
}

/** The result of a file that could not run. */
function failed(file: string, output: string): FileResult {
  return {
    file,
    passed: 0,
    failed: 1,
    skipped: new Map(),
    servers: { withReplicas: 0, oneProcess: new Set() },
    output,
    seconds: 0,
  }
}
