/** Which flags the launcher was run with, seen from inside its process. */

const SCRIPT =
  "if (/svc(\\.mjs)?$/.test(process.argv[1])) process.stderr.write(`flags: ${process.execArgv.join(' ')}\\n`)"

/** For `NODE_OPTIONS`: the process of the launcher prints its flags to standard error; other programs print nothing. */
export const REPORT_FLAGS = `--import=data:text/javascript,${encodeURIComponent(SCRIPT)}`

/** What is printed where the young generation has the room that the documentation promises. */
export const YOUNG_SPACE = /^flags: --max-semi-space-size=64$/m
