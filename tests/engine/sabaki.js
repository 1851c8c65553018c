// Drives a GTP engine by @sabaki/gtp, the client inside the Go program Sabaki, as that program does: keeps the engine's
// position in step with its own, streams analyses and stops them by the next command. Prints what it saw as JSON.
//
//    NODE_PATH=build/npm/node_modules node sabaki.js ENGINE ARGUMENT ...
const {Controller, ControllerStateTracker} = require('@sabaki/gtp')

const SIZE = 5
const MOST_MOVES = 40

async function main([path, ...args]) {
  const engine = new Controller(path, args)
  const tracker = new ControllerStateTracker(engine)
  const seen = {stderr: [], answers: {}, moves: [], analyses: []}
  engine.on('stderr', ({content}) => seen.stderr.push(content))
  engine.start()

  const ask = async (name, ...args) => {
    const id = Math.floor(Math.random() * 1e6)
    const answer = await engine.sendCommand({id, name, args: args.map(String)})
    if (answer.id !== id) throw new Error(`${name} ${args}: asked as ${id}, answered as ${answer.id}`)
    return answer
  }
  for (const name of ['protocol_version', 'name', 'castle']) seen.answers[name] = await ask(name)
  seen.answers.knows = await tracker.knowsCommand('lz-analyze')

  // A whole game, both sides by the engine.
  const wanted = {komi: 6.5, boardsize: [SIZE, SIZE], timeSettings: {mainTime: 600, byoyomiTime: 0, byoyomiStones: 0}}
  await tracker.sync({...wanted, history: []})
  let passes = 0
  while (passes < 2 && seen.moves.length < MOST_MOVES) {
    const answer = await ask('genmove', 'BW'[seen.moves.length % 2])
    if (answer.error) throw new Error(answer.content)
    seen.moves.push(answer.content)
    passes = answer.content === 'pass' ? passes + 1 : 0
  }
  seen.sgf = (await ask('printsgf')).content
  seen.score = (await ask('final_score')).content

  // Back to an earlier position by undo, and on to another one by play: the client decides how.
  const history = seen.moves.slice(0, 4).map((vertex, i) => ({name: 'play', args: ['BW'[i % 2], vertex]}))
  await tracker.sync({...wanted, history})
  seen.tracked = tracker.state.history.length
  seen.board = (await ask('showboard')).content

  for (const name of ['lz-analyze', 'kata-analyze']) {
    let lines = []
    let heard
    const first = new Promise(resolve => (heard = resolve))
    const stream = engine.sendCommand({name, args: ['B', '1']}, ({line}) => {
      if (!line.startsWith('info ')) return
      lines.push(line)
      heard()
    })
    await first
    const next = await ask('name') // ends the stream
    const ended = await stream
    seen.analyses.push({name, lines, error: ended.error, next: next.content})
  }
  const chosen = []
  await engine.sendCommand({name: 'lz-genmove_analyze', args: ['B', '1']}, ({line}) => chosen.push(line))
  seen.chosen = chosen
  await engine.stop()
  seen.stopped = engine.process === null
  console.log(JSON.stringify(seen))
}

main(process.argv.slice(2)).catch(error => {
  console.error(error)
  process.exit(1)
})
