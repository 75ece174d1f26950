/** The places that have the version of the package, besides `package.json` and its lock file. */

export interface VersionedFile {
  /** From the root of the project. */
  path: string
  /** The version is the only group of each. */
  patterns: readonly RegExp[]
}

export const VERSIONED: readonly VersionedFile[] = [
  {
    path: 'deploy/helm/svc/Chart.yaml',
    patterns: [/^version: (\S+)$/m, /^appVersion: "(\S+)"$/m],
  },
  {
    path: 'docs/github-action.md',
    patterns: [/svc-upstream\/svc@v(\S+)$/m, /svc-upstream\/svc\/action\/report@v(\S+)$/m],
  },
]

/** The text with another version. Throws if a pattern does not match. */
export function withVersion(text: string, { path, patterns }: VersionedFile, version: string): string {
  return patterns.reduce((changed, pattern) => {
    if (!pattern.test(changed)) throw new Error(`${path} has no version that matches ${pattern.source}`)
    return changed.replace(pattern, (line, found: string) => line.replace(found, () => version))
  }, text)
/** Where the version is, in addition to the root `package.json`: a release sets all of them. */

export interface VersionPlace {
  /** Path in the checkout. */
  file: string
  /** Finds the version, as its only group. */
  pattern: RegExp
}

export const VERSION_PLACES: readonly VersionPlace[] = [
  { file: 'clients/python/src/svc_testing/_version.py', pattern: /^VERSION = "([^"]+)"$/m },
  { file: 'clients/go/svctest/version.go', pattern: /^const Version = "([^"]+)"$/m },
]

/** The version in the text of a place. Throws if there is no version. */
export function versionIn(text: string, { file, pattern }: VersionPlace): string {
  const version = pattern.exec(text)?.[1]
  if (version === undefined) throw new Error(`${file} has no version that matches ${pattern}`)
  return version
}

/** The text of a place with another version. */
export function withVersion(text: string, place: VersionPlace, version: string): string {
  const old = versionIn(text, place)
  return text.replace(place.pattern, found => found.replace(old, () => version))
}
