/** The main script of the executable, next to the files of the package in its memory. */
import cluster from 'node:cluster'

// Workers (`SVC_WORKERS`) get Node's options and the path of a script as their first arguments, as with Node itself.
if (cluster.isWorker) process.argv.splice(2, process.execArgv.length + 1)
await import('./bin/svc.mjs')
