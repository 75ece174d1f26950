/** The command `svc fixtures`: writes fixture files of aimock as rules. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { Document, type YAMLSeq } from 'yaml'
import { isRecord, isTextNestedWithin, nearest, type TranslatedFile } from 'svc/toolkit'
import type { Command, CommandContext, JsonObject } from 'svc/plugin'
import { translateFixtures } from './translate.ts'

const USAGE = `usage: svc fixtures import <path>… [--out file] [--strict]

Writes fixture files of aimock (JSON; of folders, all *.json) as a YAML file with rules, for llm.fixtures of svc.yaml.
What rules cannot say is a comment in the output and a line on standard error.

  --out file   writes to this file instead of standard output
  --strict     exits with 1 if anything was left out

Exit codes: 0 imported, 1 with --strict something was left out, 2 invalid command line or unreadable file.
`
const OPTIONS = ['--out', '--strict', '--help']
const MAX_FILES = 500
const MAX_BYTES = 16 * 1024 * 1024
const MAX_DEPTH = 150
const WIDTH = 120

/** A mistake in the command line, or a file that cannot be read. */
class CommandProblem extends Error {}

export const fixturesCommand: Command = {
  name: 'fixtures',
  summary: 'import fixture files of other tools',
  usage: USAGE,
  group: 'move',
  complete: () => ({ '': ['import'] }),
  async run(args, context) {
    if (context === undefined) throw new Error('svc fixtures needs the context of the command line')
    try {
      const { paths, out, isStrict } = readArguments(args)
      const files = await readFiles(paths, context)
      const { text, problems } = toYaml(files)
      for (const problem of problems) context.err.write(`${problem}\n`)
      if (out === null) context.out.write(text)
      else await write(resolve(context.workingDirectory, out), text)
      return { exitCode: isStrict && problems.length > 0 ? 1 : 0 }
    } catch (error) {
      if (!(error instanceof CommandProblem)) throw error
      context.err.write(`svc fixtures: ${error.message}\n`)
      return { exitCode: 2 }
    }
  },
}

function readArguments(args: readonly string[]): { paths: string[]; out: string | null; isStrict: boolean } {
  const [action, ...rest] = args
  if (action !== 'import')
    throw new CommandProblem(
      action === undefined ? 'expected import' : `unknown action: ${action.slice(0, 100)} (expected import)`,
    )
  const paths: string[] = []
  let out: string | null = null
  let isStrict = false
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index]!
    if (word === '--strict') isStrict = true
    else if (word === '--out') {
      out = rest[++index] ?? null
      if (out === null) throw new CommandProblem('--out needs the name of a file')
    } else if (word.startsWith('--out=')) out = word.slice('--out='.length)
    else if (word.startsWith('-')) {
      const meant = nearest(word, OPTIONS)
      throw new CommandProblem(
        `unknown option: ${word.slice(0, 100)}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`,
      )
    } else paths.push(word)
  }
  if (paths.length === 0) throw new CommandProblem('expected the path of a file or folder')
  return { paths, out, isStrict }
}

interface ImportedFile extends TranslatedFile {
  path: string
}

async function readFiles(paths: readonly string[], { workingDirectory }: CommandContext): Promise<ImportedFile[]> {
  const files: ImportedFile[] = []
  let bytes = 0
  for (const path of paths) {
    for (const file of await filesOf(path, workingDirectory)) {
      const { size } = await stat(resolve(workingDirectory, file))
      bytes += size
      if (files.length >= MAX_FILES || bytes > MAX_BYTES)
        throw new CommandProblem(`at most ${MAX_FILES} files and ${MAX_BYTES} bytes can be imported at once`)
      const translated = await translateFile(resolve(workingDirectory, file), file)
      if (translated !== null) files.push({ path: file, ...translated })
      // Other JSON files in a folder are configuration of another kind.
      else if (file === path) throw new CommandProblem(`${file}: expected a mapping with a list of fixtures`)
    }
  }
  return files
}

/** The file itself, or the JSON files of a folder: those directly in it come before those of its folders. */
async function filesOf(path: string, base: string): Promise<string[]> {
  const facts = await stat(resolve(base, path)).catch(() => null)
  if (facts === null) throw new CommandProblem(`there is no file or folder ${path.slice(0, 200)}`)
  if (!facts.isDirectory()) return [path]
  const entries = (await readdir(resolve(base, path), { withFileTypes: true })).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
  const files = entries
    .filter(entry => entry.isFile() && /\.json$/i.test(entry.name))
    .map(({ name }) => join(path, name))
  for (const folder of entries.filter(entry => entry.isDirectory() && !entry.name.startsWith('.'))) {
    if (files.length > MAX_FILES) break
    files.push(...(await filesOf(join(path, folder.name), base)))
  }
  return files
}

async function translateFile(path: string, shown: string): Promise<TranslatedFile | null> {
  let document: unknown
  try {
    const text = await readFile(path, 'utf8')
    if (!isTextNestedWithin(text, MAX_DEPTH)) throw new Error(`nested more than ${MAX_DEPTH} levels deep`)
    document = JSON.parse(text)
  } catch (error) {
    throw new CommandProblem(`${shown}: ${(error as Error).message}`)
  }
  return isRecord(document) ? translateFixtures(document as JsonObject) : null
}

/** The rules with the problems as comments, and the problems as lines. */
function toYaml(files: readonly ImportedFile[]): { text: string; problems: string[] } {
  const used = new Set<string>()
  const rules: { rule: JsonObject; notes: string[] }[] = []
  const problems: string[] = []
  const rest: string[] = []
  for (const file of files) {
    const stem = stemOf(file.path, used)
    const noted = new Set<string>()
    for (const [index, { rule, at }] of file.rules.entries()) {
      const notes = noted.has(at) ? [] : file.problems.filter(problem => isOf(problem.at, at))
      noted.add(at)
      rules.push({ rule: { name: `${stem}-${index + 1}`, ...rule }, notes: notes.map(asLine) })
    }
    problems.push(...file.problems.map(problem => `${file.path}: ${asLine(problem)}`))
    rest.push(
      ...file.problems
        .filter(({ at }) => ![...noted].some(own => isOf(at, own)))
        .map(problem => `${file.path}: ${asLine(problem)}`),
    )
  }
  const document = new Document({ rules: rules.map(({ rule }) => rule) })
  const origins = files.map(({ path }) => ` Imported from ${path}`)
  document.commentBefore = [...origins, ...rest.map(line => ` ${line}`)].join('\n')
  const { items } = document.get('rules') as YAMLSeq<{ commentBefore?: string | null }>
  for (const [index, { notes }] of rules.entries())
    if (notes.length > 0) items[index]!.commentBefore = notes.map(note => ` ${note}`).join('\n')
  return { text: document.toString({ lineWidth: WIDTH }), problems }
}

function isOf(at: string, fixture: string): boolean {
  return at === fixture || at.startsWith(`${fixture}.`)
}

function asLine({ at, message }: { at: string; message: string }): string {
  return `${at}: ${message}`.replaceAll(/\s+/g, ' ')
}

/** The file name without its extension, which begins the names of its rules; a number makes it unique. */
function stemOf(path: string, used: Set<string>): string {
  const plain = basename(path, extname(path))
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 50)
  let stem = plain
  for (let number = 2; used.has(stem); number++) stem = `${plain}-${number}`
  used.add(stem)
  return stem
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text)
  } catch (error) {
    throw new CommandProblem(`${file}: ${(error as Error).message}`)
  }
}
