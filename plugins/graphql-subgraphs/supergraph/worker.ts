/** The worker thread that composes a single supergraph. */
import { parentPort, workerData } from 'node:worker_threads'
import { THREAD_LOADED } from 'svc/toolkit'
import { composeSubgraphs, type ComposedSubgraph } from './compose.ts'

async function run(): Promise<void> {
  // The composer is loaded first, so that loading it takes nothing of the time limit.
  await composeSubgraphs([{ name: 'none', sdl: 'type Query { none: Int }' }])
  parentPort?.postMessage(THREAD_LOADED)
  parentPort?.postMessage(await composeSubgraphs(workerData as ComposedSubgraph[]))
}

void run()
