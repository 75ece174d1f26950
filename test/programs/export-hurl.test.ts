/** Hurl runs the exported file. [EXPORT-20] */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findProgram } from './support/program.ts'
import { testExport } from './support/export-run.ts'

testExport(t, findProgram('hurl'), {
  file: 'requests.hurl',
  async run(t, hurl, { text, folder, url }) {
    writeFileSync(join(folder, 'svc.hurl'), text)
    const { code, output } = await hurl.run(
      ['--no-output', '--continue-on-error', '--variable', `base_url=${url}`, 'svc.hurl'],
      { cwd: folder },
    )
    t.equal(code, 0, output.slice(-3000))
  },
})
