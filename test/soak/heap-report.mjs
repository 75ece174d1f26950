/**
 * Loaded into the server by `NODE_OPTIONS`: at SIGUSR2 it collects garbage and prints the size of the heap to standard error.
 * The server itself has no route for it.
 */
import { Server } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
let count = 0

// The first stack trace with frames of the core reads its source map, which takes 14 MiB and stays.
const { listen } = Server.prototype
Server.prototype.listen = function (...args) {
  void new Error('read the source map').stack
  return listen.apply(this, args)
}

process.on('SIGUSR2', async () => {
  // Finalizers and what they release run in later turns.
  for (let turn = 0; turn < 3; turn++) {
    collect()
    await nextTurn()
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  const folder = process.env.SOAK_SNAPSHOTS
  if (folder !== undefined) writeHeapSnapshot(`${folder}/${++count}.heapsnapshot`)
  process.stderr.write(`heap report ${JSON.stringify({ used: heapUsed + external, rss })}\n`)
})
