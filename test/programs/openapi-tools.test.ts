/** Linters and contract testers read what svc describes: `/openapi.json` by Spectral, the demo `petstore` by Dredd and Specmatic. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { serve } from '../support/server.ts'
import { findProgram, type Program } from './support/program.ts'

/** Declares a test of a program, skipped without it; the document at `path` is in `openapi.json` of an empty folder. */
function testTool(
  name: string,
  does: string,
  path: string,
  run: (t: Test, program: Program, folder: string, url: string) => Promise<unknown>,
): void {
  const program = findProgram(name)
  const skip = typeof program === 'string' ? program : false
  t.test(`${typeof program === 'string' ? name : program.title} ${does}`, { skip }, async t => {
    t.setTimeout(0)
    if (typeof program === 'string') return
    const server = await serve(t)
    const folder = mkdtempSync(join(tmpdir(), 'svc-openapi-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'openapi.json'), await (await fetch(server.url + path)).text())
    await run(t, program, folder, server.url)
  })
}

testTool('spectral', 'finds no error in the document [CAT-3]', '/openapi.json', async (t, spectral, folder) => {
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  const { code, output } = await spectral.run(['lint', 'openapi.json', '--fail-severity=error'], { cwd: folder })
  t.equal(code, 0, output.slice(0, 2000))
})

testTool(
  'dredd',
  'sees each successful response of the mock as documented [MOCK-1]',
  '/mock/petstore/openapi.json',
  async (t, dredd, folder, url) => {
    const { output } = await dredd.run(
      ['openapi.json', `${url}/mock/petstore/v1`, '--loglevel=warning', '--no-color'],
      {
        cwd: folder,
      },
    )
    // It asks for each documented status in turn, the errors too, without saying how they come about.
    const outcomes = [...output.matchAll(/^(pass|fail).*: (\w+) \((\d+)\) (\S+)/gm)]
    const successes = outcomes.filter(([, , , status]) => status?.startsWith('2'))
    t.equal(successes.length, 8, output.slice(-1000))
    t.strictSame(
      successes.filter(([, outcome]) => outcome !== 'pass').map(([line]) => line),
      [],
    )
  },
)

testTool('specmatic', 'tests the mock [MOCK-1]', '/mock/petstore/openapi.json', async (t, specmatic, folder, url) => {
  // `--lenient` because it knows no mutual TLS.
  const args = ['test', '--lenient', 'openapi.json', `--testBaseURL=${url}/mock/petstore/v1`]
  const { output } = await specmatic.run(args, { cwd: folder })
  const [, run, failures] = /Tests run: (\d+), Successes: \d+, Failures: (\d+)/.exec(output) ?? []
  t.ok(Number(run) > 40, output.slice(-1000))
  // It asks for XML without an `Accept` field, and refuses the JSON.
  t.ok(Number(failures) <= 1, output.slice(-3000))
  t.match(output, 'Specification expected application/xml but response contained application/json')
})
