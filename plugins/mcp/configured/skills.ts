/** Owns the skills of servers from svc.yaml: the sub-folders of a folder. */
import { dirname, join, resolve } from 'node:path'
import { readSkillFolder, skillFolders } from '../skills/read-folder.ts'
import { makeSkill, type Skill, type SkillLimits } from '../skills/skill.ts'

export interface SkillSource {
  /** Path of svc.yaml. */
  configFile: string | null
  limits: SkillLimits
  /** Called with each folder before it is read. */
  watch(folder: string): void
}

/** Reads the skills. A skill that is invalid is reported and left out. */
export function configuredSkills(
  folder: string,
  { configFile, limits, watch }: SkillSource,
  report: (message: string, remedy?: string) => void,
): Skill[] {
  const root = resolve(configFile === null ? '.' : dirname(configFile), folder)
  watch(root)
  const skills: Skill[] = []
  for (const name of namesIn(root, report)) {
    try {
      if (skills.length >= limits.skills) throw new Error(`the server has too many skills (at most ${limits.skills})`)
      skills.push(makeSkill(name, readSkillFolder(join(root, name)), {}, limits))
    } catch (error) {
      report(`the skill "${name}" is left out: ${(error as Error).message}`)
    }
  }
  return skills
}

function namesIn(root: string, report: (message: string, remedy?: string) => void): string[] {
  try {
    return skillFolders(root)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    report(`the folder of skills can't be read (${code ?? 'unknown error'})`, 'correct the path')
    return []
  }
}
