/** k6 runs the exported script. [EXPORT-20] */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findProgram } from './support/program.ts'
import { testExport } from './support/export-run.ts'

testExport(t, findProgram('k6', ['version']), {
  file: 'k6.js',
  async run(t, k6, { text, folder }) {
    writeFileSync(join(folder, 'svc-k6.js'), text)
    const summary = join(folder, 'summary.json')
    const { code, output } = await k6.run(['run', '--quiet', '--summary-export', summary, 'svc-k6.js'], { cwd: folder })
    t.equal(code, 0, output.slice(-3000))
    t.match(output, /http_req_failed[.\s:]*0?\.?0*%/, 'no documented status is a failure')
  },
})
