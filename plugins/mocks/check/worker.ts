/** The worker thread that checks a single large document. */
import { parentPort, workerData } from 'node:worker_threads'
import { THREAD_LOADED } from 'svc/toolkit'
import { checkDefinition, type CheckInput } from './check.ts'
import { OfficialSchema } from './official-schema.ts'

parentPort?.postMessage(THREAD_LOADED)
void checkDefinition(workerData as CheckInput, new OfficialSchema()).then(output => parentPort?.postMessage(output))
