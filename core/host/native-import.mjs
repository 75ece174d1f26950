/**
 * Node's `import()`. In a bundle it is `require`, and Node supports it in scripts that it compiles from memory only
 * experimentally, so it is in a file that is never bundled.
 */
export const nativeImport = url => import(url)
