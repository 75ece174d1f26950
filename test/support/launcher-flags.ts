/** Reports the flags of the launcher process. */

const SCRIPT =
  "if (/svc(\\.mjs)?$/.test(process.argv[1])) process.stderr.write(`flags: ${process.execArgv.join(' ')}\\n`)"

/** Value for `NODE_OPTIONS`: the launcher prints its flags to standard error, other programs print nothing. */
export const REPORT_FLAGS = `--import=data:text/javascript,${encodeURIComponent(SCRIPT)}`

/** Output of a process that has the documented size of the semi-space. */
export const SEMI_SPACE_FLAG = /^flags: --max-semi-space-size=64$/m
