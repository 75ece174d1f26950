/** The output of processes: lines of limited length, and a limited number of them in the log. */
import t from 'tap'
import { ErrorOutput } from '../../../plugins/mcp/bridge/error-output.ts'
import { LineReader } from '../../../plugins/mcp/bridge/line-reader.ts'

t.test('bytes are split into lines; a line that is too long is skipped [MCPX-17]', t => {
  const lines: string[] = []
  const starts: string[] = []
  const reader = new LineReader(
    5,
    line => lines.push(line),
    start => starts.push(start),
  )
  for (const piece of ['one\ntw', 'o\r\n\n', 'exact\n', '123456', '789', '0\nlast', '\n'])
    reader.write(Buffer.from(piece))
  t.strictSame(lines, ['one', 'two', '', 'exact', 'last'])
  t.strictSame(starts, ['12345'])
  const split = Buffer.from('é\n')
  reader.write(split.subarray(0, 1))
  reader.write(split.subarray(1))
  t.equal(lines.at(-1), 'é')
  t.end()
})

t.test('a process that writes too many lines fills no log [MCPX-17]', t => {
  const lines: string[] = []
  let now = 0
  const output = new ErrorOutput(
    line => lines.push(line),
    () => now,
  )
  output.write(Buffer.from('x\n'.repeat(250)))
  t.equal(lines.length, 100)
  now = 1500
  output.write(Buffer.from(`${'y'.repeat(5000)}\nnext\n`))
  t.strictSame(lines.slice(100), ['150 more lines were left out', 'y'.repeat(4096), 'next'])
  output.write(Buffer.from('z\n'.repeat(99)))
  output.end()
  t.equal(lines.at(-1), '1 more lines were left out')
  t.end()
})
