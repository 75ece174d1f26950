/** Runs before `npm pack` and `npm publish` in the checkout, which is not the package that is published. */
process.stderr.write('the checkout is not published: run "npm run build", then "npm pack ./dist/package"\n')
process.exitCode = 1
