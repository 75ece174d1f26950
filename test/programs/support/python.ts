/** Python with packages of vendors, for tests that need them. */
import { findProgram, type Program } from './program.ts'

/** An interpreter that has the packages, or why there is none. */
export async function pythonWith(packages: readonly string[]): Promise<Program | string> {
  const python = findProgram(process.env.SVC_TEST_PYTHON ?? 'python3')
  if (typeof python === 'string') return python
  const code = `import importlib.util as u; print([n for n in ${JSON.stringify(packages)} if not u.find_spec(n.split('.')[0])])`
  const { output } = await python.run(['-c', code], { cwd: import.meta.dirname })
  return output.trim() === '[]'
    ? python
    : `${python.title} lacks ${output.trim()} (SVC_TEST_PYTHON is an interpreter that has them)`
}
