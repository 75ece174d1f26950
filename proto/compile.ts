/**
 * Compiles the descriptor set that the plugin `grpc` serves: the echo service and the standard services. Run it after you
 * change a `.proto` file (`node --import tsx proto/compile.ts`). A test compares its output with the committed file.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const folder = import.meta.dirname
const modules = join(folder, '..', 'node_modules')

/** Path of the committed descriptor set. */
export const DESCRIPTOR_SET = join(folder, 'descriptors.binpb')

/** Names of files in the set, and their sources. */
const SOURCES: Record<string, string> = {
  'svc/echo/v1/echo.proto': join(folder, 'svc/echo/v1/echo.proto'),
  'google/rpc/status.proto': join(modules, 'google-proto-files/google/rpc/status.proto'),
  'google/rpc/error_details.proto': join(modules, 'google-proto-files/google/rpc/error_details.proto'),
  'grpc/health/v1/health.proto': join(modules, 'grpc-health-check/proto/health/v1/health.proto'),
  'grpc/reflection/v1/reflection.proto': join(
    modules,
    '@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto',
  ),
  'grpc/reflection/v1alpha/reflection.proto': join(
    modules,
    '@grpc/reflection/build/proto/grpc/reflection/v1alpha/reflection.proto',
  ),
}

/** Compiles the sources and their imports into a FileDescriptorSet. */
export function compileDescriptorSet(): Buffer {
  const workspace = mkdtempSync(join(tmpdir(), 'svc-proto-'))
  try {
    for (const [name, source] of Object.entries(SOURCES)) {
      mkdirSync(dirname(join(workspace, name)), { recursive: true })
      cpSync(source, join(workspace, name))
    }
    writeFileSync(join(workspace, 'buf.yaml'), 'version: v2\n')
    const output = join(workspace, 'descriptors.binpb')
    const buf = join(dirname(createRequire(import.meta.url).resolve('@bufbuild/buf/package.json')), 'bin', 'buf')
    execFileSync(
      process.execPath,
      [buf, 'build', workspace, '--as-file-descriptor-set', '--exclude-source-info', '-o', output],
      { stdio: 'pipe' },
    )
    return readFileSync(output)
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) writeFileSync(DESCRIPTOR_SET, compileDescriptorSet())
