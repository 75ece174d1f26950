/** Ends the process with the npm that started it: npm does not pass on every signal that ends it. */

/** How often the parent is checked, in milliseconds. */
const INTERVAL_MS = 500

/**
 * Sends SIGTERM to this process once its parent is gone, if npm has started it (`npm start`). Otherwise it would keep its ports
 * after `kill` of npm, as scripts and CI systems do it.
 */
export function endWithNpm({ npm_lifecycle_event: script }: NodeJS.ProcessEnv): void {
  if (script === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, INTERVAL_MS).unref()
}
