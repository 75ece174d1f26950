/** The places that have the version of the package, besides `package.json` and its lock file: a release sets all of them. */

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
  { path: 'clients/python/src/svc_testing/_version.py', patterns: [/^VERSION = "([^"]+)"$/m] },
  { path: 'clients/go/svctest/version.go', patterns: [/^const Version = "([^"]+)"$/m] },
  { path: 'clients/java/pom.xml', patterns: [/<artifactId>svc-testing<\/artifactId>\s+<version>([^<]+)<\/version>/] },
  {
    path: 'clients/java/src/main/java/io/svc/testing/Version.java',
    patterns: [/ CURRENT = "([^"]+)";/],
  },
]

/** The text with another version. Throws if a pattern does not match. */
export function withVersion(text: string, { path, patterns }: VersionedFile, version: string): string {
  return patterns.reduce((changed, pattern) => {
    if (!pattern.test(changed)) throw new Error(`${path} has no version that matches ${pattern.source}`)
    return changed.replace(pattern, (line, found: string) => line.replace(found, () => version))
  }, text)
}
