/** Newman, the command line of Postman, runs the exported collection. [EXPORT-20] */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findProgram } from './support/program.ts'
import { testExport } from './support/export-run.ts'

testExport(t, findProgram('newman'), {
  file: 'postman.json',
  async run(t, newman, { text, folder }) {
    writeFileSync(join(folder, 'postman.json'), text)
    const { code, output } = await newman.run(['run', 'postman.json', '--reporters', 'cli'], { cwd: folder })
    t.equal(code, 0, output.slice(-3000))
  },
})
