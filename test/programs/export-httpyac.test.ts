/** httpYac runs the exported .http file. [EXPORT-20] */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findProgram } from './support/program.ts'
import { testExport } from './support/export-run.ts'

testExport(t, findProgram('httpyac'), {
  file: 'requests.http',
  without: 'QUERY',
  async run(t, httpyac, { text, folder }) {
    writeFileSync(join(folder, 'requests.http'), text)
    const { code, output } = await httpyac.run(['send', 'requests.http', '--all', '-o', 'none'], { cwd: folder })
    t.equal(code, 0, output.slice(-3000))
    t.match(output, /\b0 failed|all requests|\d+ requests processed/i)
  },
})
