/** Where the version is, in addition to the root `package.json`: a release sets all of them. */

export interface VersionPlace {
  /** Path in the checkout. */
  file: string
  /** Finds the version, as its only group. */
  pattern: RegExp
}

export const VERSION_PLACES: readonly VersionPlace[] = [
  { file: 'clients/python/src/svc_testing/_version.py', pattern: /^VERSION = "([^"]+)"$/m },
  { file: 'clients/java/pom.xml', pattern: /<artifactId>svc-testing<\/artifactId>\s+<version>([^<]+)<\/version>/ },
  { file: 'clients/java/src/main/java/io/svc/testing/Version.java', pattern: / CURRENT = "([^"]+)";/ },
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
