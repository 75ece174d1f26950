/**
 * Runs test files one after the other in one process. Each line of standard input is `<script> <name>`; the file's results
 * are reported as a subtest of that name. Exits when standard input ends.
 */
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import type { ScalarTag, Schema } from 'yaml'
import { setCurrent } from './current.ts'

/** A file may set another limit with `t.setTimeout`. */
const FILE_TIMEOUT_MS = 600_000

/** tap removes dates from the tags of the `yaml` package, which the product shares with it and needs to know them. */
const { Schema: YamlSchema } = createRequire(import.meta.url)('yaml') as { Schema: typeof Schema }
const { knownTags } = new YamlSchema({ resolveKnownTags: true })
;(knownTags['tag:yaml.org,2002:timestamp'] as ScalarTag).default = true

for await (const line of createInterface({ input: process.stdin })) {
  const [script = '', name = ''] = line.split(' ')
  await t.test(name, { timeout: FILE_TIMEOUT_MS }, async file => {
    setCurrent(name, file)
    await import(pathToFileURL(script).href)
  })
}
