/** Runs an exported collection in full in its own program, through a proxy that records the requests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Catalog } from '../../../core/contract/plugin.ts'
import { expectedOf, sentExamples, type Exported } from '../../support/exported.ts'
import { verifyStatus } from '../../support/exported-run.ts'
import { record, type Recorded } from '../../support/recorder.ts'
import { serve } from '../../support/server.ts'
import type { Program } from './program.ts'

export interface ExportRun {
  /** Path after `/export/`. */
  file: string
  /** Runs the program on the text of the file in an empty folder. Throws or asserts if it fails. */
  run(t: Test, program: Program, exported: { text: string; folder: string; url: string }): Promise<void>
  /** Requests that the program cannot send as documented: they only must be sent. */
  isChanged?(example: Exported): boolean
  /** A method that the format leaves out. */
  without?: string
}

/** Declares the test: every request is sent in order, and gets its documented status. Without the program, it is skipped. */
export function testExport(
  t: Test,
  program: Program | string,
  { file, run, isChanged = () => false, without }: ExportRun,
): void {
  const isMissing = typeof program === 'string'
  t.test(
    `${isMissing ? file : program.title} runs ${file} without a failure [EXPORT-20]`,
    { skip: isMissing && program },
    async t => {
      // Programs take a while; the run limits the time of a file.
      t.setTimeout(0)
      if (isMissing) return
      const server = await serve(t, { oneProcess: 'the program counts as one client' })
      const { url, requests } = await record(t, server.url)
      const folder = mkdtempSync(join(tmpdir(), 'svc-program-'))
      t.teardown(() => rmSync(folder, { recursive: true, force: true }))
      const catalog = (await (await fetch(`${server.url}/_svc/catalog`)).json()) as Catalog
      const text = await (await fetch(`${server.url}/export/${file}?base_url=${url}`)).text()
      const instance = async () => (await fetch(`${server.url}/_svc/rules`)).text()
      const before = await instance()
      await run(t, program, { text, folder, url })
      verify(t, catalog, requests, { isChanged, without })
      t.equal(await instance(), before, 'no rule was stored')
    },
  )
}

function verify(
  t: Test,
  catalog: Catalog,
  requests: Recorded[],
  { isChanged, without }: { isChanged(example: Exported): boolean; without: string | undefined },
): void {
  const included = without === undefined ? {} : { without }
  const statuses = sentExamples(catalog, included).map(({ example }) => example.expect_status)
  const expected = expectedOf(catalog, included)
  t.strictSame(
    requests.map(({ method, target }) => `${method} ${new URL(target, 'http://svc').pathname}`),
    expected.map(({ method, target }) => `${method} ${new URL(target, 'http://svc').pathname}`),
    'every request is sent once, in order',
  )
  for (const [at, example] of expected.entries())
    if (requests[at] !== undefined && !isChanged(example))
      verifyStatus(t, example, statuses[at] ?? null, requests[at].status)
}
