// Prints what Khronos's glTF validator says of a file, as JSON.
// Usage: NODE_PATH=<folder of node_modules> node validate.cjs FILE
const fs = require("fs");
const validator = require("gltf-validator");

validator
  .validateBytes(new Uint8Array(fs.readFileSync(process.argv[2])), { writeTimestamp: false })
  .then((report) => console.log(JSON.stringify(report)))
  .catch((error) => {
    console.error(String(error));
    process.exitCode = 1;
  });
