/** Reads the Node flags of the launcher from inside its process. */

const SCRIPT =
  "if (/svc(\\.mjs)?$/.test(process.argv[1])) process.stderr.write(`flags: ${process.execArgv.join(' ')}\\n`)"

/** A value of `NODE_OPTIONS` that makes the launcher print its flags to standard error, and nothing in other programs. */
export const REPORT_FLAGS = `--import=data:text/javascript,${encodeURIComponent(SCRIPT)}`

/** The output if the young generation has the documented size. */
export const YOUNG_SPACE = /^flags: --max-semi-space-size=64$/m
