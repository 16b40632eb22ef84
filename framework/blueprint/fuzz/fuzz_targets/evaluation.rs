#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| formwork_blueprint_fuzz::evaluation::run(data));
