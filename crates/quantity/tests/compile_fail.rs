//! The commonest mistakes with dimensions do not compile, and the compiler says why in our words.

#[test]
fn mistakes_with_dimensions_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
