/**
 * Runs test files one after the other in one process. Each line of standard input is `<script> <name>`; the file's results
 * are reported as a subtest of that name. Exits when standard input ends.
 */
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { setCurrent } from './current.ts'

/** A file may set another limit with `t.setTimeout`. */
const FILE_TIMEOUT_MS = 600_000

for await (const line of createInterface({ input: process.stdin })) {
  const [script = '', name = ''] = line.split(' ')
  await t.test(name, { timeout: FILE_TIMEOUT_MS }, async file => {
    setCurrent(name, file)
    await import(pathToFileURL(script).href)
  })
}
