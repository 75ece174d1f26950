/** The thread in which large documents are checked; it answers one check and is gone. */
import { parentPort, workerData } from 'node:worker_threads'
import { checkDefinition, type CheckInput } from './check.ts'
import { OfficialSchema } from './official-schema.ts'
import { LOADED } from './thread-messages.ts'

parentPort?.postMessage(LOADED)
parentPort?.postMessage(await checkDefinition(workerData as CheckInput, new OfficialSchema()))
