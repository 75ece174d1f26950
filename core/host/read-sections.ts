/** The sections of `svc.yaml` that belong to the core: sessions, addresses of notifications, and rules. */
import type { Config } from '../config/variables.ts'
import type { Log } from '../log/log.ts'
import { BodyFiles } from '../rules/body-files.ts'
import { ruleBoundsOf } from '../rules/bounds.ts'
import { addFileRules, rulesOfSection, type FileRule } from '../rules/file-rules.ts'
import { readOrProblem, type Problem } from '../toolkit/input-problem.ts'
import { fingerprintPath } from './discovery.ts'
import type { Generation } from './generation.ts'
import { readNotifyHosts } from './notify-section.ts'
import { readSessionHeaders } from './session-section.ts'
import type { Settings } from './settings.ts'
import type { BuildContext } from './svc/svc.ts'

interface Source {
  settings: Settings
  config: Config
  /** Absolute path of `svc.yaml`, or null. */
  configFile: string | null
  log: Log
}

/** Applies the sections to a generation that is being built. Problems become load errors of its context. */
export async function readCoreSections(source: Source, generation: Generation, context: BuildContext): Promise<void> {
  readNames(source, generation, context)
  await readRules(source, generation, context)
}

/** The sections that are short lists of names. */
function readNames({ settings }: Source, generation: Generation, context: BuildContext): void {
  const names = (section: string, read: (value: unknown) => string[], effect: string): string[] => {
    const result = readOrProblem(() => read(settings.section(section)))
    if ('value' in result) return result.value
    const { at, details, remedy = `correct it; until then ${effect}` } = result.problem
    context.loadErrors.push(settings.locate({ at, message: details, remedy }, section))
    return []
  }
  generation.sessionHeaders = names('sessions', readSessionHeaders, 'no further header names sessions')
  generation.notifyHosts = names('notify', readNotifyHosts, 'rules send requests to paths of this instance only')
}

/** Adds the rules of `svc.yaml` and of other files, and reports those that are wrong. */
async function readRules(
  { settings, config, configFile, log }: Source,
  { rules }: Generation,
  context: BuildContext,
): Promise<void> {
  const report = (problem: Problem, rule?: FileRule): void => {
    const { at, details, remedy = 'correct it; the rule is left out until then' } = problem
    const isOther = rule !== undefined && rule.file !== null && rule.file !== configFile
    const place = isOther ? { file: rule.file!, line: rule.line } : {}
    context.loadErrors.push(settings.locate({ at, message: details, remedy, ...place }, 'rules'))
  }
  const { ruleFiles } = context
  const section = await rulesOfSection(settings.section('rules'), {
    file: configFile,
    folder: context.configFolder,
    lineOf: at => settings.locate({ at, message: '' }, 'rules').line ?? null,
    readFiles: (path, at) => ruleFiles.readSection(path, at),
    report,
  })
  const bounds = ruleBoundsOf(config)
  const bodies = new BodyFiles(path => void context.watched.set(path, fingerprintPath(path)))
  await bodies.load([...section, ...ruleFiles.rules])
  addFileRules([...section, ...ruleFiles.rules], rules, { bounds, bodies }, report)
  ruleFiles.onRefresh = () => {
    rules.clear()
    addFileRules([...section, ...ruleFiles.rules], rules, { bounds, bodies }, ({ at, details }, { file }) =>
      log.warn('a rule is wrong', { file, at, message: details }),
    )
  }
}
