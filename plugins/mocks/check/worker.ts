/** The worker thread that checks a single large document. */
import { parentPort, workerData } from 'node:worker_threads'
import { checkDefinition, type CheckInput } from './check.ts'
import { OfficialSchema } from './official-schema.ts'
import { LOADED } from './thread-messages.ts'

parentPort?.postMessage(LOADED)
void checkDefinition(workerData as CheckInput, new OfficialSchema()).then(output => parentPort?.postMessage(output))
