/** Writes the report in the requested formats. */
import { mkdir, open, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CommandContext } from 'svc/plugin'
import { baselineOf } from '../report/baseline.ts'
import { htmlReport } from '../report/html-report.ts'
import { junitReport } from '../report/junit-report.ts'
import { markdownReport } from '../report/markdown-report.ts'
import type { Report } from '../report/report.ts'
import { lastWord, terminalReport } from '../report/terminal-report.ts'
import { ArgumentError, type Format, type ProbeOptions } from './options.ts'

const FILES: Record<Exclude<Format, 'terminal'>, string> = {
  json: 'report.json',
  junit: 'report.xml',
  markdown: 'report.md',
  html: 'report.html',
}

/** `out`: the folder, or null for standard output. */
export async function writeReport(
  report: Report,
  options: ProbeOptions,
  out: string | null,
  context: CommandContext,
): Promise<void> {
  const texts: Record<Format, () => string> = {
    terminal: () => (options.isQuiet ? `${lastWord(report)}\n` : terminalReport(report, options.failOn)),
    json: () => `${JSON.stringify(report, null, 2)}\n`,
    junit: () => junitReport(report, options.failOn),
    markdown: () => markdownReport(report),
    html: () => htmlReport(report),
  }
  if (options.writeBaseline !== null)
    await writeFile(resolve(context.workingDirectory, options.writeBaseline), baselineOf(report))
  if (out !== null)
    for (const format of new Set<Format>([...options.formats, 'json']))
      if (format !== 'terminal') await writeFile(join(out, FILES[format]), texts[format]())
  if (out === null || options.formats.includes('terminal'))
    context.out.write(texts[out === null ? options.formats[0]! : 'terminal']())
}

/** Makes sure that the folder can be written. Throws `ArgumentError`. */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    const probe = await open(join(folder, FILES.json), 'a')
    await probe.close()
  } catch (error) {
    throw new ArgumentError(`--out cannot be written: ${(error as NodeJS.ErrnoException).code ?? String(error)}`)
  }
}
