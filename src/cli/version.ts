// `croft version`: of this program, and of the server where one answers.
import { type Call, EXIT, type Run, type World } from './command.ts'
import { connect } from './connect.ts'
import { isDataFormat, printData } from './output.ts'

export const version: Run = async (call, world) => {
  const server = await serverVersion(call, world)
  const format = call.text('output')
  if (isDataFormat(format))
    world.terminal.out(printData({ client: world.version, server: server ?? null }, format))
  else world.terminal.out(`croft ${world.version}\n${server === undefined ? '' : `server ${server}\n`}`)
  return EXIT.done
}

/** Nobody there is no failure: then only the program's own version is told. */
async function serverVersion(call: Call, world: World): Promise<string | undefined> {
  try {
    const connection = await connect(call, world)
    const answer = (await connection.ask('GET', '/version')) as { readonly gitVersion?: string }
    return answer.gitVersion
  } catch {
    return undefined
  }
}
