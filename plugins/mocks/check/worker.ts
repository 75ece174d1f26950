/** The worker thread that checks a single large document, or composes a subgraph. */
import { parentPort, workerData } from 'node:worker_threads'
import { THREAD_LOADED } from 'svc/toolkit'
import { checkDefinition, type CheckInput } from './check.ts'
import { compositionWarnings } from './composition.ts'
import { OfficialSchema } from './official-schema.ts'

/** What a thread gets: a definition to check, or the SDL of a subgraph to compose. */
export type ThreadInput = CheckInput | { composes: string }

async function run(input: ThreadInput): Promise<void> {
  // The composer is loaded first, so that loading it takes nothing of the time limit.
  if ('composes' in input) await compositionWarnings('type Query { none: Int }')
  parentPort?.postMessage(THREAD_LOADED)
  parentPort?.postMessage(
    'composes' in input
      ? await compositionWarnings(input.composes)
      : await checkDefinition(input, new OfficialSchema()),
  )
}

void run(workerData as ThreadInput)
