/** Reads and updates the changelog (Keep a Changelog 1.1.0). */

const UNRELEASED = '## [Unreleased]'

/**
 * Returns the text below the heading of a version, or of "Unreleased".
 * Throws if the heading is missing or the section is empty.
 */
export function releaseNotes(changelog: string, version: string): string {
  const lines = changelog.split('\n')
  const start = lines.findIndex(line => line.startsWith(`## [${version}]`))
  if (start === -1) throw new Error(`CHANGELOG.md has no section "## [${version}]"`)
  const length = lines.slice(start + 1).findIndex(line => line.startsWith('## ['))
  const notes = lines
    .slice(start + 1, length === -1 ? undefined : start + 1 + length)
    .join('\n')
    .trim()
  if (!notes.includes('- ')) throw new Error(`CHANGELOG.md lists nothing below "## [${version}]"`)
  return notes
}

/** Renames "Unreleased" to a version with a date (YYYY-MM-DD) and adds a new, empty "Unreleased". */
export function closeRelease(changelog: string, version: string, date: string): string {
  releaseNotes(changelog, 'Unreleased')
  if (changelog.includes(`## [${version}]`)) throw new Error(`CHANGELOG.md already has a section "## [${version}]"`)
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## [${version}] - ${date}`)
}

/** Returns the next version: `wanted` if it is a version (`1.2.3`, `1.2.3-rc.1`), otherwise increments `current`. */
export function nextVersion(current: string, wanted: string): string {
  if (/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(wanted)) return wanted
  const [major = 0, minor = 0, patch = 0] = current.split('-')[0]!.split('.').map(Number)
  switch (wanted) {
    case 'major':
      return `${major + 1}.0.0`
    case 'minor':
      return `${major}.${minor + 1}.0`
    case 'patch':
      return `${major}.${minor}.${patch + 1}`
    default:
      throw new Error(`"${wanted}" is not a version: expected major, minor, patch or a version such as 1.2.3`)
  }
}
