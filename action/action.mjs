/**
 * The GitHub Action: `node action.mjs start|report`. It has no dependencies. Inputs are variables `INPUT_<NAME>`, as GitHub
 * names them; nothing of them becomes part of a shell's text.
 */
import { report } from './report.mjs'
import { start } from './start.mjs'

const COMMANDS = { start, report }
const run = COMMANDS[process.argv[2]]
try {
  if (run === undefined) throw new Error('expected start or report')
  process.exitCode = await run(process.env)
} catch (error) {
  process.stdout.write(`::error::${escapeMessage(error.message)}\n`)
  process.exitCode = 1
}

/** Line breaks end a workflow command. */
function escapeMessage(text) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
